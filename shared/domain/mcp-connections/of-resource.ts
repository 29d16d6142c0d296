/** Only the URL of a connection, or one below it, may get its tokens. The URL parser resolves dots in paths. */
export function isOfResource(url: string, resource: string): boolean {
  const [asked, allowed] = [URL.parse(url), URL.parse(resource)];
  if (!asked || !allowed || asked.origin !== allowed.origin) return false;
  const folder = allowed.pathname.endsWith('/') ? allowed.pathname : `${allowed.pathname}/`;
  return asked.pathname === allowed.pathname || asked.pathname.startsWith(folder);
}
