/** Of a model config or a provider key. A missing member is no limit. */
export interface CallLimits {
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
  maxConcurrent?: number | undefined;
  /** Decimal text. */
  usdPerMinute?: string | undefined;
}
