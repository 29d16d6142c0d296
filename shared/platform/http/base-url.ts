import { withoutTrailing } from '../../core/text.ts';

/** What API Gateway tells of the address that was asked: the domain is one that leads to this API, never just a header. */
interface Asked {
  domainName?: string | undefined;
  /** With the stage, or with the path under which a custom domain has the API. */
  path?: string | undefined;
}

/**
 * The address of the API itself: the one that the operator configured, else what API Gateway was asked for, without
 * the endpoint's own path.
 */
export function baseUrlOf(endpointPath: string, { domainName = '', path = '' }: Asked): string {
  const { PUBLIC_URL } = process.env;
  if (PUBLIC_URL) return withoutTrailing(PUBLIC_URL, '/');
  const segments = path.replace(/\/$/, '').split('/');
  const before = segments.slice(0, segments.length - endpointPath.slice(1).split('/').length);
  return `https://${domainName}${before.join('/')}`;
}
