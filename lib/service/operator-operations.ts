import type { SuccessOf } from './answers.js';
import type { RequestOf } from './requests.js';
import { type ServiceHost, shownTime } from './service-host.js';

/** An operator's force-release of exactly the lease that `inspect` showed. */
export async function breakLease(
  { context }: ServiceHost,
  { name, leaseId }: RequestOf<'break'>,
  signal: AbortSignal,
): Promise<SuccessOf<'break'>> {
  await context.store.ensureTime(signal);
  const { kind } = await context.store.break({ name, leaseId }, signal);
  return { ok: true, broken: kind === 'done', now: shownTime(context) };
}

/** Takes the completion back that the request names: the same request, sent again, takes back no later one. */
export async function reopen(
  { context }: ServiceHost,
  { name, completedAt }: RequestOf<'reopen'>,
  signal: AbortSignal,
): Promise<SuccessOf<'reopen'>> {
  await context.store.ensureTime(signal);
  const open = await context.store.reopen(name, completedAt, signal);
  return { ok: true, open, now: shownTime(context) };
}
