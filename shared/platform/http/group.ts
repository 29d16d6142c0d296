import type { AnyEndpoint } from './endpoint.ts';

/** Endpoints that belong together: one folder of `functions/`, one tag of the API document, one role on AWS. */
export interface Group {
  /** What they are about, for readers of the API document. */
  description: string;
  /** In the order of the API document. */
  endpoints: readonly AnyEndpoint[];
}
