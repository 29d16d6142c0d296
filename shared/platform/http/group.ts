import type { AnyEndpoint } from './endpoint.ts';
import type { ErrorForm } from './responses/error-form.ts';

/** A group of endpoints: one folder in `functions/`, one tag of the API document, one IAM role. */
export interface EndpointGroup {
  description: string;
  /** The form of the 404 for all paths and methods below a path that are not offered, where a protocol has its own. */
  unoffered?: { below: `/${string}`; errorBody: ErrorForm };
  /** In the order of the API document. */
  endpoints: readonly AnyEndpoint[];
}
