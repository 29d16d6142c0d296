import type { AnswerOf } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { count, dollars } from '../../ui/values/format.ts';
import { Share } from './share.tsx';

type Group = AnswerOf<'GET /v1/run-metrics'>['groups'][number];

/** What the runs that each API key started used and cost. @param from The first day, in UTC. */
export function UsageByKey({ from }: { from: string }) {
  const query = { groupBy: 'apiKey', interval: 'day', from: `${from}T00:00:00Z` } as const;
  const metrics = useCall('GET /v1/run-metrics', { query }, { keepsLast: true });
  return (
    <section className="card" aria-labelledby="by-key">
      <h2 id="by-key">By API key</h2>
      <p className="help">Runs that ended in this period, by the key that started them.</p>
      <Loaded of={metrics}>
        {({ groups }) =>
          groups.length === 0 ? <Empty title="No runs in this period" /> : <Keys groups={groups} />
        }
      </Loaded>
    </section>
  );
}

function Keys({ groups }: { groups: readonly Group[] }) {
  const costOf = ({ total }: Group) => Number(total.cost ?? 0);
  const whole = groups.reduce((sum, group) => sum + costOf(group), 0);
  return (
    <Table
      label="Usage by API key"
      rows={groups.toSorted((a, b) => costOf(b) - costOf(a))}
      keyOf={({ key }) => key ?? ''}
      columns={[
        { title: 'Key', cell: nameOf },
        { title: 'Share', cell: (group) => <Share of={costOf(group)} whole={whole} />, isExtra: true },
        { title: 'Runs', cell: ({ total }) => count(total.runs), isNumber: true },
        { title: 'Failed', cell: ({ total }) => count(total.failed), isNumber: true, isExtra: true },
        {
          title: 'Tokens',
          cell: ({ total: { tokens } }) => count(tokens.input + tokens.output),
          isNumber: true,
          isExtra: true,
        },
        {
          title: 'Cost',
          cell: ({ total }) => (total.cost === null ? 'no known price' : dollars(total.cost)),
          isNumber: true,
        },
      ]}
    />
  );
}

const nameOf = ({ key, name }: Group) =>
  key === null ? 'No API key: sessions, surfaces, schedules' : <bdi>{name ?? `A deleted key, ${key}`}</bdi>;
