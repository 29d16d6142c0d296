import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import { plainStart } from '../../core/text.ts';
import { checkUrl, isAllowedHost, UrlRefused } from '../net/addresses.ts';
import { fetchFailure } from '../net/fetch-failure.ts';
import { userAgent } from '../net/sendable-headers.ts';
import { makeStreamingFetch } from '../net/streaming-fetch.ts';

type Fetch = typeof globalThis.fetch;

/** Of one response. Metadata and tokens have a few KB. */
const bytesMax = 200_000;

/** Of one discovery, with its fallbacks and redirects. */
const requestsMax = 20;

const timeoutMs = 10_000;

const egress = makeStreamingFetch(() => bytesMax, true);

/** https only, with limits for all requests together. Sends none after an error that the SDK must not ignore. */
export function oauthFetch(signal: AbortSignal): Fetch {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let requests = 0;
  let failed: StepError | undefined;
  return async (target, { method, headers, body } = {}) => {
    if (failed) throw failed;
    const url = String(target);
    try {
      requests += 1;
      if (requests > requestsMax) throw new StepError(`OAuth takes more than ${requestsMax} requests`);
      secureUrl(url);
      const sent = new Headers(headers);
      sent.set('user-agent', userAgent);
      return await egress(url, {
        method: method ?? 'GET',
        headers: sent,
        signal: limited,
        ...(body != null && { body: String(body) }),
      });
    } catch (error) {
      failed = limited.aborted
        ? new StepError(`${new URL(url).origin} did not answer within ${timeoutMs} ms`, { retryable: true })
        : fetchFailure(error, url);
      signal.throwIfAborted();
      throw failed;
    }
  };
}

const charactersMax = 2_000;

/** https, and no private address; the hosts of `ALLOWED_HOSTS` may use http. @throws UrlRefused */
export function secureUrl(text: string): URL {
  if (text.length > charactersMax) throw new UrlRefused(`A URL has more than ${charactersMax} characters`);
  const url = checkUrl(text);
  if (url.protocol === 'https:' || isAllowedHost(url)) return url;
  throw new UrlRefused(`OAuth needs https: ${url.origin}`);
}

const wordsMax = 300;

/** An authorization server refused a request, with an error code of OAuth. */
class OAuthRefused extends StepError {
  readonly oauthCode: string;

  constructor(oauthCode: string, message: string) {
    super(message);
    this.oauthCode = oauthCode;
  }
}

/** The StepError for an error of the SDK's OAuth functions. */
export function oauthFailure(error: unknown): StepError {
  if (error instanceof StepError) return error;
  if (error instanceof OAuthError) return refusal(error);
  if (error instanceof RegistrationRejectedError) {
    const words = plainStart(error.body, wordsMax);
    return new StepError(
      `The authorization server refuses to register this service (${error.status})${words && `: ${words}`}. Send the clientId of a client that is registered there`,
    );
  }
  if (error instanceof IssuerMismatchError) {
    return new StepError(
      'The authorization server names another issuer than it should, so it is not trusted',
    );
  }
  if (error instanceof AuthorizationServerMismatchError) {
    return new StepError(
      'The MCP server names another authorization server than the one that the client is registered at',
    );
  }
  if (error instanceof InsecureTokenEndpointError)
    return new StepError('The token endpoint of the authorization server is not https');
  return sdkFailure(error);
}

function refusal({ code, message }: OAuthError): StepError {
  const words = plainStart(message, wordsMax);
  const text = `The authorization server answered ${code}${words && words !== code ? `: ${words}` : ''}`;
  return code === 'server_error' || code === 'temporarily_unavailable'
    ? new StepError(text, { retryable: true, cause: undefined })
    : new OAuthRefused(code, text);
}

/** Plain errors of the SDK that callers can do something about, by the beginnings of their messages. */
const knownFailures: Record<string, string> = {
  'Protected resource ':
    'The metadata of the MCP server is for another resource than its URL. Give the URL that the metadata names',
  'Incompatible auth server: does not support dynamic client registration':
    'The authorization server registers no clients by itself. Register a client there with the redirect URL of this service, and send its clientId (and clientSecret)',
};

function sdkFailure(error: unknown): StepError {
  const message = error instanceof Error ? error.message : '';
  const failure = Object.entries(knownFailures).find(([start]) => message.startsWith(start));
  if (failure) return new StepError(failure[1]);
  const isHttp = /^HTTP (\d{3}) trying to load/.exec(message);
  if (isHttp)
    return new StepError(`The authorization server answered ${isHttp[1]} for its metadata`, {
      retryable: true,
    });
  return new StepError('The authorization server does not follow OAuth 2.1 as MCP uses it', { cause: error });
}
