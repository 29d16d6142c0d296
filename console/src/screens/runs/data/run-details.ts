import type { OperationResponse } from '../../../api/api.ts';

/** A run with its input and its output. */
export type RunDetails = OperationResponse<'runs.get'>;
