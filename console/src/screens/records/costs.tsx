import { useCall } from '../../api/queries.ts';
import { countText } from '../../texts/language.ts';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { dollars } from '../../ui/values/format.ts';

/** What the models cost that worked on a record. */
export function Costs({ id }: { id: string }) {
  const costs = useCall('records.costs', { params: { id } });
  return (
    <section aria-labelledby="costs">
      <h2 id="costs">{recordTexts.costs}</h2>
      <Loaded of={costs}>
        {({ executionCount, totalCost, totalTokens, modelBreakdown }) =>
          executionCount === 0 ? (
            <Empty title={recordTexts.noModelCalls} />
          ) : (
            <>
              <p>
                {recordTexts.costOfSteps(
                  dollars(totalCost),
                  sharedTexts.tokenCount(totalTokens),
                  executionCount,
                )}
              </p>
              <Table
                label={recordTexts.costByModel}
                rows={modelBreakdown}
                keyOf={({ model }) => model}
                columns={[
                  { title: sharedTexts.model, cell: ({ model }) => <bdi>{model}</bdi> },
                  {
                    title: sharedTexts.steps,
                    cell: (row) => countText(row.count),
                    isNumber: true,
                    isExtra: true,
                  },
                  { title: sharedTexts.tokens, cell: ({ tokens }) => countText(tokens), isNumber: true },
                  { title: sharedTexts.cost, cell: ({ cost }) => dollars(cost), isNumber: true },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
