import { assumptions, prices } from '../measure/prices.ts';
import { idleSection } from './idle-section.ts';
import { managedSection } from './managed-section.ts';
import type { Units } from './units.ts';
import { requestSection, rowSection, runSection, startSection } from './use-sections.ts';

/** The text of docs/costs.md. */
export const costsDocument = (units: Units): string =>
  `${[
    introduction(units),
    idleSection(),
    requestSection(units),
    runSection(units),
    rowSection(units),
    startSection(units),
    managedSection(units),
    storageSection,
    notIncluded,
  ].join('\n\n')}\n`;

const introduction = ({ measuredAt }: Units) => `# Costs

\`npm run costs\` writes this file. Do not edit it. All prices are AWS's list prices in USD (${prices.region}, ${prices.asOf},
\`bench/measure/prices.ts\`), without free tiers and discounts. Resources are counted in the templates of the environments. Units
were measured on the embedded stack on ${measuredAt} (\`bench/costs/units.json\`; \`npm run costs -- --measure\` measures them
again).

DynamoDB's units and the numbers of requests are those of AWS. Lambda's time is a lower bound: the CPU time of the machine
that measured, at the Lambda's share of a CPU, plus ${assumptions.readMs} ms for reads and ${assumptions.writeMs} ms for each write to DynamoDB. Cold
starts and the time that a run waits for a model or another server come on top: a second of a worker costs
${((assumptions.memoryMb / 1_024) * prices.lambdaArm64GbSecond * 1_000).toFixed(4)} USD per 1,000, a second of an endpoint half of that.`;

const storageSection = `## Storage and users

| What | USD a month |
| --- | --- |
| Table, per GB, with its indexes | ${prices.dynamoDbGbMonth} |
| Point-in-time recovery of the table, per GB | ${prices.dynamoDbPitrGbMonth} |
| Buckets, per GB; overwritten and deleted objects for another 35 days | ${prices.s3GbMonth} |
| Logs, per GB; for as long as the retention of the environment | ${prices.cloudWatchLogsGbMonth} |
| User of the Cognito pool (Plus plan) who signs in, per month | ${prices.cognitoPlusUserMonth} |
| A secret of a tenant | ${prices.secretMonth} |

JSON over 200 KB (of a step's result over 90 KB) is stored in the payload bucket: one PUT (${prices.s3MillionPuts / 1_000} USD per 1,000) when
it is written, and one GET (${prices.s3MillionGets / 1_000} USD per 1,000) for each read.`;

const notIncluded = `## Not included

- What model providers, web searches, SES and SNS charge.
- The free tiers. In a small environment they cover much of the above: each month 1 million SQS requests, ten metrics of
  alarms, three dashboards, 25 GB in DynamoDB, 400,000 GB-seconds of Lambda, and 100 GB of data to the internet.
- CloudFront, if \`cloudFront\` is set, and the storage and queries of S3 Vectors.
- CodeDeploy (free for Lambda), EventBridge Scheduler (${prices.schedulerMillionInvocations} USD per million timers of waiting runs), and the first two
  rotations of the KMS key (${prices.kmsKeyMonth} USD a month each).`;
