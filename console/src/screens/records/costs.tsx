import { useCall } from '../../api/queries.ts';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { count, counted, dollars } from '../../ui/values/format.ts';

/** What the models cost that worked on a record. */
export function Costs({ id }: { id: string }) {
  const costs = useCall('GET /v1/records/{id}/costs', { params: { id } });
  return (
    <section aria-labelledby="costs">
      <h2 id="costs">Costs</h2>
      <Loaded of={costs}>
        {({ executionCount, totalCost, totalTokens, modelBreakdown }) =>
          executionCount === 0 ? (
            <Empty title="No model calls for this record" />
          ) : (
            <>
              <p>
                {dollars(totalCost)} for {counted(totalTokens, 'token')} in {counted(executionCount, 'step')}
              </p>
              <Table
                label="Cost by model"
                rows={modelBreakdown}
                keyOf={({ model }) => model}
                columns={[
                  { title: 'Model', cell: ({ model }) => <bdi>{model}</bdi> },
                  { title: 'Steps', cell: (row) => count(row.count), isNumber: true, isExtra: true },
                  { title: 'Tokens', cell: ({ tokens }) => count(tokens), isNumber: true },
                  { title: 'Cost', cell: ({ cost }) => dollars(cost), isNumber: true },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
