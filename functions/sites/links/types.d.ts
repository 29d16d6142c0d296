/** A failed request; without a status there was no response. */
export interface LinkFailure {
  status?: number;
  details?: { path?: string; message: string }[];
}
