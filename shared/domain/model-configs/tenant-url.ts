import * as z from 'zod';
import {
  hostWithPort,
  isAllowedHost,
  isPublicAddress,
  literalAddress,
} from '../../adapters/net/addresses.ts';

/** https, or a private host that the deployment allows. Calls append a path; any credential of the tenant may read it. */
export const TenantUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .max(2_000)
  .superRefine((text, context) => {
    const message = findProblem(new URL(text));
    if (message) context.addIssue({ code: 'custom', message });
  });

/** As far as it shows without DNS. */
function findProblem(url: URL): string | undefined {
  const address = literalAddress(url);
  if (url.username || url.password || /[?#]/.test(url.href))
    return 'Expected an address without a user name, a password, a query and a fragment';
  if (isAllowedHost(url)) return undefined;
  const toAllow = `; on one machine, start the service with LOCAL_ALLOWED_HOSTS=${hostWithPort(url)} to allow this one`;
  if (url.protocol !== 'https:') return `Expected an https address${toAllow}`;
  return address && !isPublicAddress(address) ? `Expected a public address${toAllow}` : undefined;
}
