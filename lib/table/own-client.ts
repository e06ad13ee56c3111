// biome-ignore lint/suspicious/noExplicitAny: the SDK types a middleware stack by its command, and a signer not at all
type Untyped = any;

/** One request through all middleware. */
export type Handler = (command: Untyped) => Promise<Untyped>;

/**
 * Lets commands of one kind share what the SDK makes of its middleware for each anew, a sixth of a request: for a client
 * that nobody changes any more. As the SDK's own `cacheMiddleware`, which does not go with a signal.
 *
 * @param known what was made, of this client and by kind
 */
export function sharing(command: Untyped, known: Map<unknown, Handler>): void {
  const { resolveMiddleware, constructor: kind } = command;
  command.resolveMiddleware = (stack: unknown, config: Untyped, options: unknown): Handler => {
    const handler = known.get(kind) ?? resolveMiddleware.call(command, stack, config, {});
    known.set(kind, handler);
    const send = ({ request }: Untyped) => config.requestHandler.handle(request, options);
    return ({ input }: Untyped) => handler({ input, send });
  };
}

/** What the SDK tells of itself and of its attempts. DynamoDB answers the same without. */
const unread = ['amz-sdk-invocation-id', 'amz-sdk-request'];

/** AWS wants `host`, `content-type` and every `x-amz-*` signed; the payload's hash is part of the signature anyway. */
const unsigned = new Set(['content-length']);

/**
 * Has a client that nobody else has send no more than DynamoDB looks at, and make what it signs with once instead of for
 * each request (docs/reference/speed.md).
 */
export function lighten({ config, middlewareStack }: Untyped): void {
  middlewareStack.remove('getUserAgentMiddleware');
  const { signer: makeSigner } = config;
  let light: Untyped;
  config.signer = async (scheme: unknown) => {
    if (light) return light;
    const signer = await makeSigner(scheme);
    // The signature holds the payload's hash in any case; only S3 wants it in a header, too.
    signer.applyChecksum = false;
    light = {
      sign(request: Untyped, options: object) {
        for (const header of unread) delete request.headers[header];
        request.headers['user-agent'] = 'leasehold';
        return signer.sign(request, { ...options, unsignableHeaders: unsigned });
      },
    };
    return light;
  };
}
