/** AWS prices in USD, without free tiers and discounts. A month has 730 hours. */
export const prices = {
  asOf: '2026-11',
  region: 'us-east-1',
  apiGatewayMillionRequests: 3.5,
  cloudWatchAlarmMetricMonth: 0.1,
  cloudWatchDashboardMonth: 3,
  cloudWatchLogsGb: 0.5,
  cloudWatchLogsGbMonth: 0.03,
  cloudWatchMetricMonth: 0.3,
  cognitoPlusUserMonth: 0.02,
  dataOutGb: 0.09,
  dynamoDbGbMonth: 0.25,
  dynamoDbMillionReadUnits: 0.125,
  dynamoDbMillionWriteUnits: 0.625,
  dynamoDbPitrGbMonth: 0.2,
  kmsKeyMonth: 1,
  lambdaArm64GbSecond: 0.0000133334,
  lambdaMillionInvocations: 0.2,
  natGatewayGb: 0.045,
  natGatewayHour: 0.045,
  s3GbMonth: 0.023,
  s3MillionGets: 0.4,
  s3MillionPuts: 5,
  schedulerMillionInvocations: 1,
  secretMonth: 0.4,
  sqsFifoMillionRequests: 0.5,
  sqsMillionRequests: 0.4,
  wafAclMonth: 5,
  wafMillionRequests: 0.6,
  wafRuleMonth: 1,
  xRayMillionTraces: 5,
} as const;

/** Assumptions that this machine cannot measure for a Lambda. */
export const assumptions = {
  /** As `infra/aws/conventions/entries.ts` configures the workers. */
  memoryMb: 1_024,
  /** As it configures most endpoints. */
  endpointMemoryMb: 512,
  /** With this much memory a Lambda has one full CPU, with less a share of it. */
  memoryOfOneCpuMb: 1_769,
  /** A millisecond of CPU here equals one on Lambda. Counts the stack's gateway and pollers as Lambda time. */
  cpuAsHere: 1,
  /**
   * Lambda Managed Instances: Lambda chooses the instances, keeps three for availability, and adds one early enough that traffic may
   * double. `instanceHour` is EC2's price, in USD.
   */
  managed: { instance: 'm8g.xlarge', vCpus: 4, instanceHour: 0.17952, fee: 0.15, instancesMin: 3, load: 0.5 },
  readMs: 5,
  writeMs: 8,
  /**
   * Assumes that the records of an invocation run one after another, although those of different slots run
   * concurrently.
   */
  sideBySide: 1,
  /** What Lambda itself logs of an invocation: START, END, REPORT. */
  platformLogBytes: 400,
  /** A line of API Gateway's access log. */
  accessLogBytes: 900,
  /** X-Ray's default rule traces one request a second and 5 % of the others. */
  tracedShare: 0.05,
} as const;

/** The resource use of one request, or of one record in a batch. */
export interface ResourceUse {
  writeUnits: number;
  readUnits: number;
  writeRequests: number;
  /** Without those that a poller sends to an empty queue. */
  sqsRequests: number;
  s3Puts: number;
  s3Gets: number;
  /** Of workers: the messages of one invocation are deleted together. */
  invocations: number;
  cpuMs: number;
  /** What the service writes to its log, metrics included. */
  logBytes: number;
}

/** The price of a million records, by service. A million of anything costs a million times one. */
export function priceOfMillionRecords(use: ResourceUse) {
  const { memoryMb, sideBySide } = assumptions;
  const waitMs = use.invocations * assumptions.readMs + use.writeRequests * assumptions.writeMs;
  return {
    dynamoDb: priceOfMillionUnits(use),
    sqs: use.sqsRequests * prices.sqsFifoMillionRequests,
    lambda: priceOfMillionInvocations({ ...use, waitMs, memoryMb }),
    /** In addition: the cost per second of waiting for a model. */
    eachModelSecond: priceOfMillionSeconds(1, memoryMb) / sideBySide,
  };
}

export const priceOfMillionUnits = ({
  writeUnits,
  readUnits,
}: Pick<ResourceUse, 'writeUnits' | 'readUnits'>) =>
  writeUnits * prices.dynamoDbMillionWriteUnits + readUnits * prices.dynamoDbMillionReadUnits;

/** With less memory than that of a full CPU, the same work takes longer. */
export function priceOfMillionInvocations(use: {
  invocations: number;
  cpuMs: number;
  waitMs: number;
  memoryMb: number;
}): number {
  const { memoryOfOneCpuMb, cpuAsHere } = assumptions;
  const computeMs = (use.cpuMs / cpuAsHere) * Math.max(1, memoryOfOneCpuMb / use.memoryMb);
  const seconds = (computeMs + use.waitMs) / 1_000;
  return use.invocations * prices.lambdaMillionInvocations + priceOfMillionSeconds(seconds, use.memoryMb);
}

const priceOfMillionSeconds = (seconds: number, memoryMb: number) =>
  seconds * (memoryMb / 1_024) * prices.lambdaArm64GbSecond * 1_000_000;
