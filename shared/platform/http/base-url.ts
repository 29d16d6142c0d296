import { withoutTrailing } from '../../core/text.ts';

/** The requested address, from API Gateway: `domainName` is a domain of this API, not merely a header. */
interface Asked {
  domainName?: string | undefined;
  /** Includes the stage, or the base path of a custom domain. */
  path?: string | undefined;
}

/** The base URL of the API: the configured one, else the requested address without the endpoint's path. */
export function baseUrlOf(endpointPath: string, { domainName = '', path = '' }: Asked): string {
  const { PUBLIC_URL } = process.env;
  if (PUBLIC_URL) return withoutTrailing(PUBLIC_URL, '/');
  const segments = path.replace(/\/$/, '').split('/');
  const before = segments.slice(0, segments.length - endpointPath.slice(1).split('/').length);
  return `https://${domainName}${before.join('/')}`;
}
