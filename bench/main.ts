import { access } from './access.ts';
import { agentExecutionsList } from './agent-executions.ts';
import { agentFirstText } from './agent-first-text.ts';
import { agentRun } from './agent-run.ts';
import { agentStream } from './agent-stream.ts';
import { agentsAtOnce } from './agents-at-once.ts';
import { bulkEdit } from './bulk-edit.ts';
import { chat } from './chat.ts';
import { coldLoad } from './cold-load.ts';
import { webConsole } from './console.ts';
import { csvMemory, csvSpeed } from './csv-upload.ts';
import { engine } from './engine.ts';
import { fairness } from './fairness.ts';
import { type Figure, type Letter, lineOf } from './figure.ts';
import { filteredList } from './filtered-list.ts';
import { firstByte } from './first-byte.ts';
import { memory } from './memory.ts';
import { modelCatalog } from './model-catalog.ts';
import { promptCpu } from './prompt-cpu.ts';
import { requestCpu } from './request-cpu.ts';
import { roundTrips } from './round-trips.ts';
import { surfaceCall } from './surface-call.ts';
import { throughput } from './throughput.ts';
import { toolCall } from './tool-call.ts';
import { vectorSearch } from './vector-search.ts';
import { withWarmGet } from './warm-get.ts';
import { writesAndPrice } from './writes-and-price.ts';

type Measure = () => Promise<Figure[]>;

const measures: Record<Letter, Measure> = {
  a: withWarmGet(requestCpu),
  b: coldLoad,
  c: withWarmGet(roundTrips),
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
};

const wanted = process.argv.slice(2);
for (const [letter, measure] of Object.entries(measures)) {
  if (wanted.length > 0 && !wanted.includes(letter)) continue;
  for (const figure of await measure()) process.stdout.write(`${lineOf(figure)}\n`);
}
