export interface HeaderCredentials {
  type: 'none' | 'bearer' | 'basic' | 'api_key' | 'custom_header';
  token?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  headerName?: string | undefined;
}

/** The headers with the credentials; none if their value is missing. */
export function toCredentialHeaders(credentials: HeaderCredentials | undefined): Record<string, string> {
  const { type = 'none', token, username, password, headerName = 'X-API-Key' } = credentials ?? {};
  if (type === 'basic' && (username !== undefined || password !== undefined)) {
    const pair = `${username ?? ''}:${password ?? ''}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
  if (token === undefined || type === 'none' || type === 'basic') return {};
  return type === 'bearer' ? { authorization: `Bearer ${token}` } : { [headerName.toLowerCase()]: token };
}
