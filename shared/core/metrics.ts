/** The values of the dimensions. Each is one of a few: a metric costs money for each combination of values. */
export interface Dimensions {
  group?: string;
  callerClass?: CallerClass;
}

export const callerClasses = ['live', 'test', 'session', 'setup-link', 'anonymous'] as const;
export type CallerClass = (typeof callerClasses)[number];

interface Metric {
  unit: 'Count' | 'Milliseconds' | 'None';
  /** One metric exists for each list of dimensions, and for each combination of their values. */
  by: readonly (readonly (keyof Dimensions)[])[];
}

const total = { unit: 'Count', by: [[]] } as const;

/** By name in CloudWatch. Lambda measures invocations, duration and throttles of each endpoint for free. */
export const metrics = {
  Requests: { unit: 'Count', by: [['callerClass']] },
  /** Responses with 4xx, including 429. */
  ClientErrors: { unit: 'Count', by: [['callerClass']] },
  /** Responses with 429 by a rate limit of this service. */
  RateLimited: { unit: 'Count', by: [['callerClass']] },
  ServerErrors: { unit: 'Count', by: [[], ['group'], ['callerClass']] },
  /** Time to the response, without streamed ones. The number of samples is the number of responses. */
  Latency: { unit: 'Milliseconds', by: [[], ['group']] },
  /** Refusals that the authorizer throws because API Gateway must not cache them. Lambda counts them as errors (D168). */
  TemporaryRefusals: total,
  RunsCompleted: total,
  RunsFailed: total,
  RunsSuspended: total,
  StepsCompleted: total,
  StepsFailed: total,
  StepsSkipped: total,
  InputTokens: total,
  OutputTokens: total,
  /** What the model providers charge, in USD. */
  ModelCost: { unit: 'None', by: [[]] },
  BatchesStarted: total,
  /** Counted by the sweep, up to a day after the end. */
  BatchesCompleted: total,
  BatchesCancelled: total,
  BatchesFailed: total,
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;
export type InvocationMeasurements = Partial<Record<MetricName, number>>;

/** In CloudWatch's embedded metric format. Writes nothing without `METRICS_NAMESPACE`. */
export function writeMetrics(measurements: InvocationMeasurements, dimensions: Dimensions): void {
  const namespace = process.env.METRICS_NAMESPACE;
  const names = Object.keys(measurements) as MetricName[];
  if (!namespace || names.length === 0) return;
  const directives = names.map((name) => {
    const { unit, by }: Metric = metrics[name];
    const complete = by.filter((list) => list.every((dimension) => dimension in dimensions));
    return { Namespace: namespace, Dimensions: complete, Metrics: [{ Name: name, Unit: unit }] };
  });
  const _aws = {
    Timestamp: Date.now(),
    CloudWatchMetrics: directives.filter(({ Dimensions }) => Dimensions.length > 0),
  };
  process.stderr.write(`${JSON.stringify({ _aws, ...dimensions, ...measurements })}\n`);
}
