/** What a backend sent is no HTTP/1.1 response (RFC 9112), or one larger than the gateway reads. */
export class MalformedResponseError extends Error {
  readonly code = 'MALFORMED_RESPONSE';

  constructor(what: string) {
    super(`malformed response: ${what}`);
  }
}

/** The backend ended the connection before its response was whole. */
export class ConnectionEndedError extends Error {
  readonly code = 'CONNECTION_ENDED';

  constructor() {
    super('other side closed');
  }
}

/** The request cannot be written as HTTP/1.1: nothing was sent. */
export class InvalidRequestError extends Error {
  readonly code = 'INVALID_REQUEST';

  constructor(part: string) {
    super(`invalid ${part} of a request`);
  }
}

/** The body of a request ended early, or is not as long as its head said. */
export class RequestBodyError extends Error {
  readonly code = 'REQUEST_BODY';

  constructor(what: string) {
    super(`request body: ${what}`);
  }
}
