import type { NewWarning } from '../../core/warnings.ts';

export interface HttpRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: string | undefined;
  timeoutMs: number;
  /** Whether a redirect to another origin must not receive the body. */
  sameOriginBody?: boolean | undefined;
  /** The maximum size of the response. Default: 5,000,000. */
  bytesMax?: number | undefined;
  signal: AbortSignal;
  /** Learns what is wrong with the text of the response, when that is read. */
  warn?: ((warning: NewWarning) => void) | undefined;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  /** The URL of the response, after redirects. */
  url: string;
  bytes: Uint8Array;
  /** The bytes, decoded by the response's charset. */
  text: string;
}

export type SearchProvider = 'exa' | 'tavily' | 'brave';
