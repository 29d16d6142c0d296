/** AWS prices in us-east-1, in USD. */
export const prices = {
  asOf: '2026-11',
  dynamoDbMillionWriteUnits: 0.625,
  dynamoDbMillionReadUnits: 0.125,
  sqsFifoMillionRequests: 0.5,
  lambdaArm64GbSecond: 0.0000133334,
  lambdaMillionInvocations: 0.2,
} as const;

/** Assumptions that this machine cannot measure for a Lambda. */
export const assumptions = {
  /** As `infra/aws/functions.ts` configures the workers. */
  memoryMb: 1_024,
  /** With this much memory a Lambda has one full CPU, with less a share of it. */
  memoryOfOneCpuMb: 1_769,
  /** A millisecond of CPU here equals one on Lambda. Counts the stack's gateway and pollers as Lambda time. */
  cpuAsHere: 1,
  readMs: 5,
  writeMs: 8,
  /**
   * Assumes that the records of an invocation run one after another, although those of different slots run
   * concurrently.
   */
  sideBySide: 1,
  modelMs: 0,
} as const;

/** The resource use of one record in a batch. */
export interface RecordUse {
  writeUnits: number;
  readUnits: number;
  writeRequests: number;
  sqsRequests: number;
  invocations: number;
  cpuMs: number;
}

/** The price of a million records, by service. A million of anything costs a million times one. */
export function priceOfMillionRecords(use: RecordUse) {
  const { memoryMb, memoryOfOneCpuMb, cpuAsHere, readMs, writeMs, sideBySide, modelMs } = assumptions;
  const computeMs = (use.cpuMs / cpuAsHere) * (memoryOfOneCpuMb / memoryMb);
  const waitMs = use.invocations * readMs + (use.writeRequests * writeMs + modelMs) / sideBySide;
  const gbSeconds = (milliseconds: number) => (milliseconds / 1_000) * (memoryMb / 1_024);
  const million = 1_000_000;
  return {
    dynamoDb:
      use.writeUnits * prices.dynamoDbMillionWriteUnits + use.readUnits * prices.dynamoDbMillionReadUnits,
    sqs: use.sqsRequests * prices.sqsFifoMillionRequests,
    lambda:
      use.invocations * prices.lambdaMillionInvocations +
      gbSeconds(computeMs + waitMs) * prices.lambdaArm64GbSecond * million,
    /** In addition: the cost per second of waiting for a model. */
    eachModelSecond: (gbSeconds(1_000) / sideBySide) * prices.lambdaArm64GbSecond * million,
  };
}
