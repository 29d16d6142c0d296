import { vectorBucket } from '../../infra/local/environment.ts';
import { region } from '../../infra/local/runtime/account.ts';
import { vectorStore } from '../../shared/adapters/vectors/vector-store.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import { tenantTable } from '../../shared/platform/data/table.ts';
import { useTable } from '../http/warm-get.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { startBenchStack } from '../measure/stack.ts';

const count = 10_000;
const dimension = 1_536;
const limit = 10;
const runs = 30;

/** (i) The latency of a search through the port that steps use. */
export async function measureVectorSearch(): Promise<Figure[]> {
  printProgress(`i: search among ${count} vectors`);
  await using stack = await startBenchStack();
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_S3VECTORS: stack.facts.aws.s3Vectors,
    VECTOR_BUCKET: vectorBucket,
  });
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const vectors = vectorStore(tenantTable(documentClient(), stack.facts.table, 'bench'));
  const stored = Array.from({ length: count }, (_, n) => ({
    id: `v${n}`,
    vector: anyVector(),
    metadata: { n },
  }));
  await vectors.put('bench', stored);
  const times: number[] = [];
  for (const { id, vector } of stored.slice(0, runs)) {
    const began = performance.now();
    const [nearest] = await vectors.query('bench', vector, limit);
    times.push(performance.now() - began);
    if (nearest?.id !== id) throw new Error(`${nearest?.id} was found to be nearer to ${id} than itself`);
  }
  return [
    {
      figure: 'i',
      what: `search among ${count} vectors of ${dimension} dimensions, median of ${runs}`,
      value: round(median(times), 1),
      unit: 'ms',
      goal: { atMost: 200 },
      details: { slowest: round(Math.max(...times), 1), results: limit },
    },
  ];
}

const anyVector = () => Array.from({ length: dimension }, () => round(Math.random() - 0.5, 6));
