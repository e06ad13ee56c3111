interface WithResolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value | PromiseLike<Value>) => void;
  readonly reject: (reason?: unknown) => void;
}

/**
 * The interpreter (aws-local-stepfunctions 3) calls `Promise.withResolvers`, which Node has from version 22 on;
 * this package supports Node 20. Installed only where it is missing, and only by this development module: nothing
 * that ships to users touches a global.
 *
 * @see https://tc39.es/ecma262/#sec-promise.withResolvers
 */
export function ensureWithResolvers(): void {
  const global = Promise as unknown as { withResolvers?: <Value>() => WithResolvers<Value> };
  global.withResolvers ??= <Value>() => {
    let resolve!: WithResolvers<Value>['resolve'];
    let reject!: WithResolvers<Value>['reject'];
    const promise = new Promise<Value>((onValue, onReason) => {
      resolve = onValue;
      reject = onReason;
    });
    return { promise, resolve, reject };
  };
}
