import { trimTrailing } from '../../core/text.ts';

/** The requested address. API Gateway sets `domainName` to a domain of this API, whatever the Host header is. */
interface RequestedAddress {
  domainName?: string | undefined;
  /** Includes the stage, or the base path of a custom domain. */
  path?: string | undefined;
}

/** The base URL of the API: the configured one, else the requested address without the endpoint's path. */
export function buildBaseUrl(endpointPath: string, { domainName = '', path = '' }: RequestedAddress): string {
  const { PUBLIC_URL } = process.env;
  if (PUBLIC_URL) return trimTrailing(PUBLIC_URL, '/');
  const segments = path.replace(/\/$/, '').split('/');
  const basePath = segments.slice(0, segments.length - endpointPath.slice(1).split('/').length);
  return `https://${domainName}${basePath.join('/')}`;
}
