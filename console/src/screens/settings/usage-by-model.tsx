import type { OperationResponse } from '../../api/api.ts';
import { countText } from '../../texts/language.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { usageTexts } from '../../texts/usage.ts';
import { Table } from '../../ui/tables/table.tsx';
import { dollars } from '../../ui/values/format.ts';
import { Share } from './share.tsx';

type Models = OperationResponse<'model-usage.get'>['usageByModel'];

const shownMax = 20;

/** The models that cost the most. */
export function UsageByModel({ models }: { models: Models }) {
  const rows = Object.values(models).toSorted((a, b) => b.totalCost - a.totalCost);
  const whole = rows.reduce((sum, { totalCost }) => sum + totalCost, 0);
  return (
    <>
      <h3>{usageTexts.byModel}</h3>
      <Table
        label={usageTexts.usageByModel}
        rows={rows.slice(0, shownMax)}
        keyOf={({ provider, modelId }) => `${provider}/${modelId}`}
        columns={[
          {
            title: sharedTexts.model,
            cell: ({ provider, modelId }) => <bdi>{`${provider}/${modelId}`}</bdi>,
          },
          {
            title: usageTexts.share,
            cell: ({ totalCost }) => <Share of={totalCost} whole={whole} />,
            isExtra: true,
          },
          { title: sharedTexts.calls, cell: ({ requestCount }) => countText(requestCount), isNumber: true },
          {
            title: sharedTexts.tokens,
            cell: ({ totalTokens }) => countText(totalTokens),
            isNumber: true,
            isExtra: true,
          },
          {
            title: usageTexts.cachedTokens,
            cell: ({ cachedTokens }) => countText(cachedTokens),
            isNumber: true,
            isExtra: true,
          },
          {
            title: usageTexts.cacheSavings,
            cell: ({ cacheSavings }) => dollars(cacheSavings),
            isNumber: true,
            isExtra: true,
          },
          { title: sharedTexts.cost, cell: ({ totalCost }) => dollars(totalCost), isNumber: true },
        ]}
      />
      {rows.length > shownMax && <p className="help">{usageTexts.moreModels(rows.length - shownMax)}</p>}
    </>
  );
}
