/** What happens to a slice, told by the worker that holds it. */
interface SliceEvent {
  readonly seat: number;
  readonly slice: string;
  readonly token: number;
}

/** A worker's event as it crosses to this process; the type is the diagnostics channel without `leasehold:`. */
export type WorkerEvent =
  | { readonly type: 'scan-planned'; readonly slices: number; readonly listRequests: number }
  | (SliceEvent & {
      readonly type: 'scan-slice-acquired';
      readonly takenOver: boolean;
      readonly takenOverFrom?: { readonly owner: string; readonly token: number };
      readonly lo?: string;
      readonly hi?: string;
    })
  | (SliceEvent & { readonly type: 'scan-page-claimed'; readonly pages: number; readonly objects: number })
  | (SliceEvent & {
      readonly type: 'scan-page-done';
      readonly pages: number;
      readonly objects: number;
      readonly totalObjects: number;
    })
  | (SliceEvent & { readonly type: 'scan-slice-completed'; readonly pages: number; readonly objects: number })
  | (SliceEvent & { readonly type: 'scan-slice-lost'; readonly reason: string })
  | (SliceEvent & { readonly type: 'scan-slice-released'; readonly why: string })
  | {
      readonly type: 'scan-slice-split';
      /** Who splits, and the slice that it cuts. */
      readonly seat: number;
      readonly slice: string;
      readonly child: string;
    }
  | { readonly type: 'scan-seat-ended'; readonly seat: number; readonly tookMs: number }
  | { readonly type: 'scan-split-refused' | 'scan-seat-waits' | 'scan-foreign-item' }
  | { readonly type: 'scan-slice-quarantined'; readonly slice: string; readonly attempts: number }
  | {
      readonly type: 'stale-write-refused';
      /** The name of the slice's lease. */
      readonly name: string;
      readonly token: number;
      readonly currentToken?: number;
    };

/** How a worker's event is packed for `process.send`. */
export interface WorkerMessage {
  readonly workerEvent: WorkerEvent;
}

/** Tells a worker's event from whatever else a child may send. */
export function isWorkerMessage(message: unknown): message is WorkerMessage {
  return typeof message === 'object' && message !== null && 'workerEvent' in message;
}
