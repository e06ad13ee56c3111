/** The part of the SDK's HTTP handler that faults stand in front of. */
export interface HttpHandler {
  handle(request: HttpRequest, options?: HttpOptions): Promise<HttpAnswer>;
  updateHttpClientConfig?(key: string, value: unknown): void;
  httpHandlerConfigs?(): object;
  destroy?(): void;
}

/** One signed HTTP request of the SDK. */
export interface HttpRequest {
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** The SDK's settings of one attempt. */
export interface HttpOptions {
  readonly abortSignal?: AbortSignal;
  readonly requestTimeout?: number;
}

/** What a handler answers. */
export interface HttpAnswer {
  readonly response: {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body?: unknown;
  };
}

/** One request as predicates and the meter see it. */
export interface ObservedRequest {
  /** `UpdateItem`, `Query` and so on, from `x-amz-target`. */
  readonly operation: string;
  /** The request in DynamoDB's own JSON, as in `{ TableName, Key: { name: { S: 'a' } } }`. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the operation, and tests dig into it
  readonly body: Readonly<Record<string, any>>;
  /** Headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by a fault, not by the caller. */
  readonly copy: boolean;
}

/** Reads what predicates and the meter need out of a request. */
export function observe(request: HttpRequest, copy: boolean): ObservedRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    headers[name.toLowerCase()] = String(value);
  }
  const operation = headers['x-amz-target']?.split('.').at(-1) ?? 'Unknown';
  return { operation, body: parse(request.body), headers, copy };
}

/** Reads an answer to its end, so that its connection is free again. A broken answer is an answer, too. */
export async function drain(answer: HttpAnswer): Promise<void> {
  try {
    for await (const _ of answer.response.body as AsyncIterable<unknown>) {
      // Only the end counts.
    }
  } catch {
    // The engine has acted all the same.
  }
}

function parse(body: unknown): Record<string, unknown> {
  try {
    if (typeof body === 'string') return JSON.parse(body);
    if (body instanceof Uint8Array) return JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Not JSON: predicates see an empty request.
  }
  return {};
}
