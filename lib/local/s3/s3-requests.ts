import type { S3Operation } from './s3-request.js';

/** Counts the HTTP requests that an endpoint got, those that met a fault included. */
export interface S3Requests {
  readonly list: number;
  readonly get: number;
  readonly head: number;
  readonly put: number;
  readonly delete: number;
  readonly total: number;
  /** Starts again from nothing. */
  reset(): void;
}

/** The counter as the endpoint writes to it. */
export class S3RequestCounter implements S3Requests {
  readonly #counts = new Map<S3Operation, number>();

  get list(): number {
    return this.#of('list');
  }

  get get(): number {
    return this.#of('get');
  }

  get head(): number {
    return this.#of('head');
  }

  get put(): number {
    return this.#of('put');
  }

  get delete(): number {
    return this.#of('delete');
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  reset(): void {
    this.#counts.clear();
  }

  /** Notes one request. */
  add(operation: S3Operation): void {
    this.#counts.set(operation, this.#of(operation) + 1);
  }

  #of(operation: S3Operation): number {
    return this.#counts.get(operation) ?? 0;
  }
}
