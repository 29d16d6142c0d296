import { measureAgentExecutionsList } from './agents/agent-executions.ts';
import { measureAgentFirstText } from './agents/agent-first-text.ts';
import { measureAgentRun } from './agents/agent-run.ts';
import { measureAgentStream } from './agents/agent-stream.ts';
import { measureAgentsAtOnce } from './agents/agents-at-once.ts';
import { measureLongRun } from './agents/long-run.ts';
import { measureModelCatalog } from './agents/model-catalog.ts';
import { measurePromptCpu } from './agents/prompt-cpu.ts';
import { measureToolCall } from './agents/tool-call.ts';
import { measureWebConsole } from './console/console.ts';
import { measureBulkEdit } from './data/bulk-edit.ts';
import { measureCities } from './data/cities.ts';
import { measureCsvMemory, measureCsvSpeed } from './data/csv-upload.ts';
import { measureFilteredList } from './data/filtered-list.ts';
import { measureImports } from './data/imports.ts';
import { measureRequestToTable } from './data/request-cpu.ts';
import { measureRoundTrips } from './data/round-trips.ts';
import { measureVectorSearch } from './data/vector-search.ts';
import { measureWritesAndPrice } from './data/writes-and-price.ts';
import { measureEngine } from './flows/engine.ts';
import { measureFairness } from './flows/fairness.ts';
import { measureLargeBatch } from './flows/large-batch.ts';
import { measureMap } from './flows/map.ts';
import { measureMemory } from './flows/memory.ts';
import { measureReuse } from './flows/reuse.ts';
import { measureThrottle } from './flows/throttle.ts';
import { measureThroughput } from './flows/throughput.ts';
import { measureGateway } from './gateway/gateway.ts';
import { measureChat } from './http/chat.ts';
import { measureColdLoad } from './http/cold-load.ts';
import { measureFirstByte } from './http/first-byte.ts';
import { measureIdempotencyKey } from './http/idempotency-key.ts';
import { measureLambdaStart } from './http/lambda-start.ts';
import { measureRequestCpu } from './http/request-cpu.ts';
import { measureSurfaceCall } from './http/surface-call.ts';
import { withWarmGet } from './http/warm-get.ts';
import { measureAccess } from './measure/access.ts';
import { type Figure, formatFigure, type Letter } from './measure/figure.ts';
import { unlessMissing } from './measure/install.ts';
import { measureAgentsPeers } from './peers/agents-peers.ts';
import { besidePeer } from './peers/beside-peer.ts';
import { dbos } from './peers/dbos.ts';
import { restate } from './peers/restate.ts';

type Measure = () => Promise<Figure[]>;

/** Only when they are named: they install packages, or take ten minutes. */
const onlyNamed: Record<string, Measure> = {
  throttle: measureThrottle,
  imports: measureImports,
  cities: measureCities,
  'large-batch': measureLargeBatch,
  gateway: measureGateway,
  dbos: besidePeer(dbos, { local: 2.5, model: 2 }),
  restate: besidePeer(restate, { local: 1 }),
  'agents-peers': measureAgentsPeers,
  lambda: () => unlessMissing('lambda', measureLambdaStart),
};

const measures: Record<Letter | 'reuse' | 'map' | 'long-run', Measure> = {
  a: withWarmGet(measureRequestCpu),
  b: measureColdLoad,
  c: async () => [...(await measureRoundTrips()), ...(await measureRequestToTable())],
  d: measureWritesAndPrice,
  e: measureThroughput,
  f: measureMemory,
  g: measureFirstByte,
  h: measureEngine,
  i: measureVectorSearch,
  j: measureFairness,
  k: measureFilteredList,
  l: measureBulkEdit,
  m: measureCsvSpeed,
  n: measureCsvMemory,
  o: measureAccess,
  p: measureModelCatalog,
  q: measureToolCall,
  r: measurePromptCpu,
  s: measureAgentRun,
  t: measureAgentFirstText,
  u: measureAgentsAtOnce,
  v: measureAgentExecutionsList,
  w: measureAgentStream,
  x: measureSurfaceCall,
  y: measureChat,
  z: measureWebConsole,
  map: measureMap,
  'long-run': measureLongRun,
  reuse: async () => [...(await measureReuse()), ...(await measureIdempotencyKey())],
};

/** What the letters measure, as `help` says it. */
const titles: Record<Letter, string> = {
  a: 'CPU time that the service adds to a GET',
  b: 'cold start',
  c: 'DynamoDB requests of a GET, and the CPU time of one',
  d: 'writes per record and their price on AWS',
  e: 'batch throughput',
  f: 'memory',
  g: 'time to the first streamed byte',
  h: 'the engine',
  i: 'vector search',
  j: 'fairness between tenants',
  k: 'filtered lists',
  l: 'bulk edits',
  m: 'speed of CSV uploads',
  n: 'memory of CSV uploads',
  o: 'authorizer and request gate',
  p: 'the catalog of models',
  q: 'overhead of a tool call',
  r: 'CPU time of a prompt step',
  s: 'CPU time and DynamoDB requests of a run of an agent',
  t: 'time to the first text of an agent',
  u: 'a hundred agents at once',
  v: 'executions of an agent with 100,000',
  w: 'CPU time of a streamed run of an agent',
  x: 'a call through an api surface',
  y: 'the chat of web pages',
  z: 'the web console in Chromium',
};

const known = { ...measures, ...onlyNamed };
// What else is there are options of a measure, with their values.
const wanted = process.argv.slice(2).filter((name) => name in known);
if (/^(--)?help$/.test(process.argv[2] ?? '')) {
  for (const [letter, title] of Object.entries(titles)) process.stdout.write(`${letter}  ${title}\n`);
  process.stdout.write(
    `by name  ${Object.keys(known)
      .filter((name) => name.length > 1)
      .join(', ')}\n`,
  );
  process.exit();
}
for (const [name, measure] of Object.entries(known)) {
  if (wanted.length > 0 ? !wanted.includes(name) : name in onlyNamed) continue;
  for (const figure of await measure()) process.stdout.write(`${formatFigure(figure)}\n`);
}
