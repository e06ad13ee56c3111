import { type History, ofKind } from '../history/read-history.js';
import type { GrantedRecord, HeldRecord, Logged } from '../history/records.js';

/**
 * From the grant to the last moment at which the holder asked and was told that it holds. A lease that is over stays
 * over, so it was held all the time in between.
 */
export interface Stay {
  readonly name: string;
  readonly token: number;
  readonly granted: Logged<GrantedRecord>;
  readonly lastHeld: Logged<HeldRecord>;
}

/** All stays that were witnessed; a holder that was killed before it asked leaves none. */
export function staysOf(history: History): Stay[] {
  const grants = new Map(ofKind(history, 'granted').map((granted) => [identity(granted), granted] as const));
  const last = new Map<string, Logged<HeldRecord>>();
  for (const held of ofKind(history, 'held')) last.set(identity(held), held);
  return [...last].flatMap(([key, lastHeld]) => {
    const granted = grants.get(key);
    return granted ? [{ name: granted.name, token: granted.token, granted, lastHeld }] : [];
  });
}

/** Of one process a token names one lease. A journal's records belong to one process. */
function identity({ name, token, source }: Logged<GrantedRecord> | Logged<HeldRecord>): string {
  return JSON.stringify([source.slice(0, source.lastIndexOf(':')), name, token]);
}
