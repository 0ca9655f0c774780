/** Who a request was authenticated as. */
export interface Identity {
  readonly kind: 'jwt' | 'api_key';
  /** JWT `sub`/`uid`, or the API key's id. */
  readonly id: string;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
}
