import { agentExecutionsList } from './agents/agent-executions.ts';
import { agentFirstText } from './agents/agent-first-text.ts';
import { agentRun } from './agents/agent-run.ts';
import { agentStream } from './agents/agent-stream.ts';
import { agentsAtOnce } from './agents/agents-at-once.ts';
import { modelCatalog } from './agents/model-catalog.ts';
import { promptCpu } from './agents/prompt-cpu.ts';
import { toolCall } from './agents/tool-call.ts';
import { webConsole } from './console/console.ts';
import { bulkEdit } from './data/bulk-edit.ts';
import { csvMemory, csvSpeed } from './data/csv-upload.ts';
import { filteredList } from './data/filtered-list.ts';
import { roundTrips } from './data/round-trips.ts';
import { vectorSearch } from './data/vector-search.ts';
import { writesAndPrice } from './data/writes-and-price.ts';
import { engine } from './flows/engine.ts';
import { fairness } from './flows/fairness.ts';
import { map } from './flows/map.ts';
import { memory } from './flows/memory.ts';
import { reuse } from './flows/reuse.ts';
import { throttle } from './flows/throttle.ts';
import { throughput } from './flows/throughput.ts';
import { gateway } from './gateway/gateway.ts';
import { chat } from './http/chat.ts';
import { coldLoad } from './http/cold-load.ts';
import { firstByte } from './http/first-byte.ts';
import { idempotencyKey } from './http/idempotency-key.ts';
import { lambdaStart } from './http/lambda-start.ts';
import { requestCpu } from './http/request-cpu.ts';
import { surfaceCall } from './http/surface-call.ts';
import { withWarmGet } from './http/warm-get.ts';
import { access } from './measure/access.ts';
import { type Figure, type Letter, lineOf } from './measure/figure.ts';
import { unlessMissing } from './measure/install.ts';
import { besidePeer } from './peers/beside-peer.ts';
import { dbos } from './peers/dbos.ts';
import { restate } from './peers/restate.ts';

type Measure = () => Promise<Figure[]>;

/** Only when they are named: they install packages, or take ten minutes. */
const onlyNamed: Record<string, Measure> = {
  throttle,
  gateway,
  dbos: besidePeer(dbos, { local: 2.5, model: 2 }),
  restate: besidePeer(restate, { local: 1 }),
  lambda: () => unlessMissing('lambda', lambdaStart),
};

const measures: Record<Letter | 'reuse' | 'map', Measure> = {
  a: withWarmGet(requestCpu),
  b: coldLoad,
  c: roundTrips,
  d: writesAndPrice,
  e: throughput,
  f: memory,
  g: firstByte,
  h: engine,
  i: vectorSearch,
  j: fairness,
  k: filteredList,
  l: bulkEdit,
  m: csvSpeed,
  n: csvMemory,
  o: access,
  p: modelCatalog,
  q: toolCall,
  r: promptCpu,
  s: agentRun,
  t: agentFirstText,
  u: agentsAtOnce,
  v: agentExecutionsList,
  w: agentStream,
  x: surfaceCall,
  y: chat,
  z: webConsole,
  map,
  reuse: async () => [...(await reuse()), ...(await idempotencyKey())],
};

const wanted = process.argv.slice(2).filter((name) => !name.startsWith('--'));
for (const [name, measure] of Object.entries({ ...measures, ...onlyNamed })) {
  if (wanted.length > 0 ? !wanted.includes(name) : name in onlyNamed) continue;
  for (const figure of await measure()) process.stdout.write(`${lineOf(figure)}\n`);
}
