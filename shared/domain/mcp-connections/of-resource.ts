/** Only the URL of a connection, or one below it, may get its tokens. The URL parser resolves dots in paths. */
export function isOfResource(url: string, resource: string): boolean {
  const [asked, own] = [URL.parse(url), URL.parse(resource)];
  if (!asked || !own || asked.origin !== own.origin) return false;
  const folder = own.pathname.endsWith('/') ? own.pathname : `${own.pathname}/`;
  return asked.pathname === own.pathname || asked.pathname.startsWith(folder);
}
