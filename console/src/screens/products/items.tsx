import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { Address } from './addresses.tsx';
import {
  AddItem,
  ChangeItem,
  itemName,
  type ListedCapabilities,
  type SurfaceItemRow,
} from './parts/item-dialogs.tsx';
import type { SurfaceIds } from './parts/place.ts';
import { TargetLink } from './parts/target-link.tsx';

interface Props {
  place: SurfaceIds;
  /** Of the surface. */
  type: string;
  items: readonly SurfaceItemRow[];
  capabilities: ListedCapabilities;
}

/** What callers name an item by, if it has no address of its own. */
const called: Record<string, string> = { mcp: sharedTexts.tool, a2a: productTexts.skill };

/** The capabilities that a surface offers. */
export function Items({ place, type, items, capabilities }: Props) {
  const [isAdding, setAdding] = useState(false);
  const [edited, setEdited] = useState<SurfaceItemRow>();
  const change = useAction('surfaces.update-item');
  const remove = useAction('surfaces.remove-item');
  return (
    <section aria-labelledby="items">
      <div className="page-head">
        <h2 id="items">{productTexts.items}</h2>
        <Button onPress={() => setAdding(true)} isDisabled={capabilities.length === 0}>
          {productTexts.addItem}
        </Button>
      </div>
      {items.length === 0 ? (
        <Empty title={productTexts.noItemsYet}>
          <p>{capabilities.length === 0 ? productTexts.addCapabilityFirst : productTexts.addItemToOffer}</p>
        </Empty>
      ) : (
        <Table
          label={productTexts.items}
          rows={items}
          keyOf={({ id }) => id}
          copyId={productTexts.copyItemId}
          columns={[
            { title: sharedTexts.name, cell: (item) => <bdi>{itemName(item)}</bdi> },
            {
              title: productTexts.whatItRuns,
              cell: ({ flowId, agentId }) => <TargetLink flowId={flowId} agentId={agentId} />,
              isExtra: true,
            },
            ...(type === 'chat'
              ? []
              : [
                  {
                    title: called[type] ?? productTexts.address,
                    width: 'wide' as const,
                    cell: (item: SurfaceItemRow) => (
                      <Address place={place} type={type} items={items} item={item} />
                    ),
                    isExtra: true,
                  },
                ]),
            {
              title: productTexts.on,
              cell: (item) => (
                <input
                  type="checkbox"
                  className="products-switch"
                  aria-label={productTexts.offer(itemName(item))}
                  checked={item.enabled}
                  // Not `disabled`, which would lose the focus.
                  aria-disabled={change.isPending}
                  onChange={({ target }) =>
                    !change.isPending &&
                    change.mutate({
                      params: { ...place, itemId: item.id },
                      body: { enabled: target.checked },
                    })
                  }
                />
              ),
            },
            {
              title: sharedTexts.actions,
              width: 'wide',
              cell: (item) => (
                <span className="actions">
                  <Button
                    look="quiet"
                    aria-label={sharedTexts.editNamed(itemName(item))}
                    onPress={() => setEdited(item)}
                  >
                    {sharedTexts.edit}
                  </Button>
                  <ConfirmButton
                    look="quiet"
                    label={sharedTexts.removeNamed(itemName(item))}
                    title={sharedTexts.removeQuestion(itemName(item))}
                    question={productTexts.surfaceStopsOffering}
                    confirm={sharedTexts.remove}
                    action={() => remove.mutateAsync({ params: { ...place, itemId: item.id } })}
                  >
                    {sharedTexts.remove}
                  </ConfirmButton>
                </span>
              ),
            },
          ]}
        />
      )}
      {change.error && <FailureNotice error={change.error} />}
      <AddItem place={place} capabilities={capabilities} isOpen={isAdding} onClose={() => setAdding(false)} />
      {edited && <ChangeItem place={place} item={edited} onClose={() => setEdited(undefined)} />}
    </section>
  );
}
