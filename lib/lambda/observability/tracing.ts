import type { Tracer } from '@aws-lambda-powertools/tracer';
import type { Observer } from './observer.js';
import { notInstalled } from './switches.js';

/**
 * A subsegment of X-Ray for each invocation, annotated with what the invocation is about. Requests to AWS are not
 * under it: the SDK marks them against recursion, and X-Ray's capture of HTTP takes such for captured already; a client
 * of one's own can be wrapped. Outside of Lambda, or without a daemon, nothing is sent and nothing fails.
 *
 * @throws UsageError if Powertools is not installed
 */
export async function tracing(serviceName: string): Promise<Observer> {
  const Tracer = await loadTracer();
  return tracedBy(new Tracer({ serviceName }), serviceName);
}

/** {@link tracing}, by a tracer. */
export function tracedBy(tracer: TraceWriter, serviceName: string): Observer {
  return {
    begin(context, keys) {
      const segment = tracer.getSegment();
      const subsegment = segment?.addNewSubsegment(`## ${context.functionName ?? serviceName}`);
      if (!segment || !subsegment) return () => {};
      tracer.setSegment(subsegment);
      tracer.annotateColdStart();
      tracer.addServiceNameAnnotation();
      for (const [key, value] of Object.entries(keys)) tracer.putAnnotation(key, value);
      return (failure) => {
        if (failure && failure.error instanceof Error) tracer.addErrorAsMetadata(failure.error);
        subsegment.close();
        tracer.setSegment(segment);
      };
    },
  };
}

/** What is used of Powertools' Tracer. */
export type TraceWriter = Pick<
  Tracer,
  | 'getSegment'
  | 'setSegment'
  | 'annotateColdStart'
  | 'addServiceNameAnnotation'
  | 'putAnnotation'
  | 'addErrorAsMetadata'
>;

/** The try stands around the import itself: bundlers then let a package pass that is not there. */
async function loadTracer() {
  try {
    return (await import('@aws-lambda-powertools/tracer')).Tracer;
  } catch (error) {
    throw notInstalled('tracing', error);
  }
}
