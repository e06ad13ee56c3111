/** What can be done to a worker's connections; see the proxy's faultProfile. */
export type ConnectionFault = 'drop' | 'hang' | 'delay' | 'reset' | 'swallow';

/** Everything that the driver does. */
export const faultKinds = [
  'kill',
  'stop-briefly',
  'stop-past-lease',
  'drop',
  'hang',
  'delay',
  'reset',
  'swallow',
  'wall-step',
  'wall-rate',
  'restart-engine',
] as const;

/** One kind of fault. */
export type FaultKind = (typeof faultKinds)[number];

/** What each kind is, for the report. */
export const faultWords: Readonly<Record<FaultKind, string>> = {
  kill: 'worker killed (SIGKILL), started anew',
  'stop-briefly': 'worker stopped (SIGSTOP) for less than its lease',
  'stop-past-lease': 'worker stopped (SIGSTOP) past its lease',
  drop: 'connections lose everything',
  hang: 'connections hold everything back, and let go of it late',
  delay: 'connections are slow',
  reset: 'connections are reset',
  swallow: 'answers are lost, requests arrive',
  'wall-step': 'wall clock steps',
  'wall-rate': 'wall clock runs fast or slow',
  'restart-engine': 'engine killed and started with its data',
};

/** A fault as it was planned; all times in milliseconds. */
export interface Fault {
  readonly kind: FaultKind;
  /** Since the start. */
  readonly atMs: number;
  /** From 0; of `restart-engine` it is without meaning. */
  readonly worker: number;
  /** How long it lasts; for `kill` and `restart-engine`: how long nothing runs. */
  readonly forMs: number;
  /** By kind: the delay of each chunk, the step of the clock, or its rate. */
  readonly amount: number;
}
