/**
 * What a guard throws that answers in the place of the upstream, without that being a refusal (a CORS preflight).
 * The writer sends it with the exchange's own headers and without a body.
 */
export class EarlyAnswer extends Error {
  constructor(readonly status: number) {
    super(`answered with ${status}`);
  }
}
