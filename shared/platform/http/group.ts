import type { AnyEndpoint } from './endpoint.ts';

/** A group of endpoints: one folder in `functions/`, one tag of the API document, one IAM role. */
export interface EndpointGroup {
  description: string;
  /** In the order of the API document. */
  endpoints: readonly AnyEndpoint[];
}
