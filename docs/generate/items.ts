import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import type { AnyEntity } from '../../shared/platform/data/entity.ts';
import type { Partition } from '../../shared/platform/data/keys.ts';

/** docs/items.md: a row for each `defineEntity`. A process of its own, because it replaces that function. */
export const itemsDocument = () =>
  execFileSync(process.execPath, [import.meta.filename], { encoding: 'utf8' });

const time = '2026-11-29T07:00:00.000Z';
const ulid = '01KB80D3R0AAAAAAAAAAAAAAAA';

/** What differs from a field's name as its value: each sample adds the keys of one kind of these items. */
const samples: Record<string, object[]> = {
  agent: [{ draft: { id: '<draft>' } }],
  flow: [{ draft: { id: '<draft>' } }],
  agentExecution: [{ status: 'running' }, { status: 'running', parentExecutionId: undefined }],
  checkpoint: [{ removed: undefined }, { removed: undefined, recordId: null }],
  conversation: [{}, { clientTokenId: undefined }],
  delivery: [{ taskId: undefined }],
  firing: [{ state: 'starting' }],
  memorySummary: [{ session: undefined }, {}],
  modelUsage: [{ flowId: null }, {}],
  run: [{ id: `exec_${ulid}`, parentRunId: undefined }, { id: `exec_${ulid}` }],
  runMetrics: [{ period: '2026-11-29T07' }, { period: '2026-11-29' }],
  runWait: [{ answer: undefined }],
};

/** An item whose fields have their names as values. */
const sampleOf = ({ schema }: AnyEntity, sample: object): object => {
  const sampleValue = (field: string) => (/(?:At|Until)$|^at$/.test(field) ? time : `<${field}>`);
  const fields = Object.fromEntries(Object.keys(schema.shape).map((field) => [field, sampleValue(field)]));
  return new Proxy(
    { ...fields, ...sample },
    {
      get: (item, field) =>
        typeof field === 'string' && !(field in item) ? sampleValue(field) : Reflect.get(item, field),
    },
  );
};

const shown = (partition: Partition | undefined, sortKey: string | undefined): string[] => {
  if (!partition) return [];
  const name = partition.isShared ? partition.name : `T#t#${partition.name}`;
  const parts = [name, sortKey ?? ''].map((part) =>
    part
      .replaceAll(/\b(?:[\da-f]{64}|[\da-f]{32})\b/g, '<hash>')
      .replaceAll(/2026-11-29T\d\d:[\d:.]+Z/g, '<time>')
      .replaceAll(ulid, '<ulid>')
      .replace(/^((?:SWEEP#\w+|CLEANUPS|.*#STEPS)#)\d$/, '$1<0…3>'),
  );
  return [`\`${parts[0]}\` \`${parts[1]}\``];
};

function rowOf(file: string, entity: AnyEntity): string {
  const items = (samples[entity.type] ?? [{}]).map((sample) => sampleOf(entity, sample));
  const indexes = items.map((item) => entity.index?.(item) ?? {});
  const cells = [
    items.map((item) => entity.key(item)).flatMap(({ PK, SK }) => shown(PK, SK)),
    indexes.flatMap(({ PK1, SK1 }) => shown(PK1, SK1)),
    indexes.flatMap(({ PK2, SK2 }) => shown(PK2, SK2)),
  ].map((keys) => [...new Set(keys)].join(', '));
  const expires = 'ttl' in entity.schema.shape ? '†' : '';
  return `| [${entity.type}](../${file})${expires} | ${cells.join(' | ')} |`;
}

/** Every entity, by the file that defines it; also those that their files do not export. */
async function listEntities(root: string): Promise<{ file: string; entity: AnyEntity }[]> {
  const defined: AnyEntity[] = [];
  Object.assign(globalThis, { defined });
  registerHooks({
    load: (url, context, next) =>
      url.endsWith('/shared/platform/data/entity.ts')
        ? {
            format: 'module',
            shortCircuit: true,
            source: `export * from '${url}?original';
              export const defineEntity = (entity) => { defined.push(entity); return entity; };`,
          }
        : next(url, context),
  });
  const sources = globSync('shared/**/*.ts', { cwd: root })
    .sort()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
    .filter(({ text }) => text.includes('defineEntity('));
  for (const { file } of sources) await import(join(root, file));
  return defined.map((entity) => {
    const named = new RegExp(`\\btype: '${entity.type}'|Entity\\('${entity.type}'`);
    const source = sources.find(({ text }) => named.test(text));
    if (!source) throw new Error(`No file names the type ${entity.type}`);
    return { file: source.file, entity };
  });
}

if (process.argv[1] === import.meta.filename) {
  const entities = await listEntities(resolve(import.meta.dirname, '../..'));
  const rows = entities
    .sort((a, b) => (a.entity.type < b.entity.type ? -1 : 1))
    .map(({ file, entity }) => rowOf(file, entity));
  process.stdout.write(`# Items of the table

\`npm run docs\` writes a row for each \`defineEntity\`. \`t\` is the tenant, \`<id>\` a field, † an item that may have a \`ttl\`.
An item has only the keys of which it has the fields. The store of \`runMetricsMark\` adds GSI2 itself: \`SWEEP#RUN_METRICS#<0…3>\` \`<time>\`.

| Item | PK, SK | GSI1 | GSI2 |
| --- | --- | --- | --- |
${rows.join('\n')}
`);
}
