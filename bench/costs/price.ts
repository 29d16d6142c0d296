import {
  assumptions,
  priceOfMillionInvocations,
  priceOfMillionRecords,
  priceOfMillionUnits,
  prices,
  type ResourceUse,
} from '../measure/prices.ts';
import type { RequestUse } from './units.ts';

/** In USD, for a million. */
export type ServicePrices = Readonly<
  Record<'dynamoDb' | 'lambda' | 'sqs' | 's3' | 'gateway' | 'logs' | 'traces' | 'dataOut', number>
>;

export const totalUsd = (price: ServicePrices) => Object.values(price).reduce((sum, usd) => sum + usd, 0);

/** A million requests of API keys, which the authorizer's cache knows, with the workers that continue them. */
export function priceOfMillionRequests(use: RequestUse): ServicePrices {
  const invocations = 1 + use.invocations;
  const waitMs = (use.readUnits > 0 ? assumptions.readMs : 0) + use.writeRequests * assumptions.writeMs;
  return {
    dynamoDb: priceOfMillionUnits(use),
    lambda: priceOfMillionInvocations({
      invocations,
      cpuMs: use.cpuMs,
      waitMs,
      memoryMb: assumptions.endpointMemoryMb,
    }),
    sqs: use.sqsRequests * prices.sqsFifoMillionRequests,
    s3: s3Price(use),
    gateway: prices.apiGatewayMillionRequests,
    logs: logPrice(use.logBytes + invocations * assumptions.platformLogBytes + assumptions.accessLogBytes),
    traces: assumptions.tracedShare * invocations * prices.xRayMillionTraces,
    dataOut: use.responseBytes * prices.dataOutGb * millionBytesPerGb,
  };
}

/** A million records of a batch. */
export function priceOfMillionRuns(use: ResourceUse): ServicePrices {
  const { dynamoDb, lambda, sqs } = priceOfMillionRecords(use);
  return {
    dynamoDb,
    lambda,
    sqs,
    s3: s3Price(use),
    gateway: 0,
    logs: logPrice(use.logBytes + use.invocations * assumptions.platformLogBytes),
    traces: assumptions.tracedShare * use.invocations * prices.xRayMillionTraces,
    dataOut: 0,
  };
}

const s3Price = ({ s3Puts, s3Gets }: ResourceUse) =>
  s3Puts * prices.s3MillionPuts + s3Gets * prices.s3MillionGets;

/** A million times a byte, in the GB of AWS's bills. */
const millionBytesPerGb = 1_000_000 / 2 ** 30;

const logPrice = (bytes: number) => bytes * prices.cloudWatchLogsGb * millionBytesPerGb;
