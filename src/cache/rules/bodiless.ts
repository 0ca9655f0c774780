/** Whether an answer of this status, which may be stored, never has a body (RFC 9110 §15.3.5, §15.3.6). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205;
}
