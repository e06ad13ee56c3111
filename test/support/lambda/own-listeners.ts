import channels, { type ChannelListener } from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';

/** What listens from now on listens no more when this is put away: functions that are observed listen as long as they live. */
export function ownListeners(): Disposable {
  const { subscribe, unsubscribe } = channels;
  const added: [name: string | symbol, listener: ChannelListener][] = [];
  const use = (noting: typeof subscribe) => {
    channels.subscribe = noting;
    syncBuiltinESMExports();
  };
  use((name, listener) => {
    added.push([name, listener]);
    subscribe(name, listener);
  });
  return {
    [Symbol.dispose]: () => {
      use(subscribe);
      for (const [name, listener] of added) unsubscribe(name, listener);
    },
  };
}
