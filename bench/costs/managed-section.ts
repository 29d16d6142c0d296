import { assumptions, priceOfMillionInvocations, prices } from '../measure/prices.ts';
import { hoursPerMonth } from './idle.ts';
import type { Units } from './units.ts';

/** What a unit of work takes of a worker. */
interface Work {
  what: string;
  use: { cpuMs: number; invocations: number; writeRequests: number };
  modelSeconds: number;
}

const { managed } = assumptions;
const instanceHour = managed.instanceHour * (1 + managed.fee);
const idleMonth = (managed.instancesMin * instanceHour + prices.natGatewayHour) * hoursPerMonth;
const busyCpuSecond = instanceHour / (managed.vCpus * 3_600 * managed.load);
/** What the instances that always run do at their usual load, in seconds of CPU a month. */
const idleCpuSeconds = (managed.instancesMin * instanceHour * hoursPerMonth) / busyCpuSecond;
const lambdaSecond = (assumptions.memoryMb / 1_024) * prices.lambdaArm64GbSecond;

/** The price of workers on Lambda Managed Instances beside that of Lambda, and from what volume on it is lower. */
export function managedSection({ records, runs }: Units): string {
  const works: Work[] = [
    { what: 'A record, three local steps', use: records.local, modelSeconds: 0 },
    { what: 'A record, one `prompt` step of 1 s', use: records.prompt, modelSeconds: 1 },
    {
      what: 'An agent’s run in the background, two turns of 5 s',
      use: { ...runs.agent, invocations: 1 },
      modelSeconds: 10,
    },
  ];
  const always = idleMonth / (lambdaSecond * hoursPerMonth * 3_600);
  return `## Workers on instances

\`-c workers=managed\` costs **${idleMonth.toFixed(0)} USD a month** at rest: ${managed.instancesMin} instances (Lambda's default) of ${managed.instance} with Lambda's fee
of ${managed.fee * 100} %, and a NAT gateway. Per million, requests included; beyond ${(idleCpuSeconds / 1_000_000).toFixed(0)} million seconds of CPU a month, instances at
${managed.load * 100} % load are added. Each GB through the NAT gateway is ${prices.natGatewayGb} USD more.

| USD per million | Lambda | instances, added | pays from, a month |
| --- | --- | --- | --- |
${works.map(rowOf).join('\n')}

So it pays when workers wait: from ${always.toFixed(0)} invocations in progress around the clock on.`;
}

function rowOf({ what, use, modelSeconds }: Work): string {
  const waitMs =
    use.invocations * assumptions.readMs + use.writeRequests * assumptions.writeMs + modelSeconds * 1_000;
  const lambda = priceOfMillionInvocations({ ...use, waitMs, memoryMb: assumptions.memoryMb });
  const requests = use.invocations * prices.lambdaMillionInvocations;
  const added = requests + use.cpuMs * 1_000 * busyCpuSecond;
  // As long as the instances that always run suffice, only requests are added.
  const million = idleMonth / (lambda - requests);
  if (million * use.cpuMs * 1_000 > idleCpuSeconds) throw new Error(`${what}: count the further instances`);
  return `| ${what} | ${lambda.toFixed(2)} | ${added.toFixed(2)} | ${Math.ceil(million).toLocaleString('en-US')} million |`;
}
