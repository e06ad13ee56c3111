/** An error as S3 answers it. `name` is S3's own code, so that the SDK's error carries it, too. */
export class S3Error extends Error {
  /**
   * @param code S3's error code, for example `NoSuchKey`.
   * @param status HTTP status.
   */
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = code;
  }
}

/** No object under that key, or one that no file can stand for. */
export function noSuchKey(): S3Error {
  return new S3Error('NoSuchKey', 404, 'The specified key does not exist.');
}

/** A parameter or a key that this endpoint can't take. */
export function invalidArgument(message: string): S3Error {
  return new S3Error('InvalidArgument', 400, message);
}

/** A condition in `If-Match` or `If-None-Match` does not hold. */
export function preconditionFailed(): S3Error {
  return new S3Error(
    'PreconditionFailed',
    412,
    'At least one of the pre-conditions you specified did not hold',
  );
}

/** A part of S3 that this endpoint does not have. */
export function notImplemented(what: string): S3Error {
  return new S3Error('NotImplemented', 501, `${what} is not implemented by this local endpoint.`);
}
