import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Failure } from '../../ui/loading/failure.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { Address } from './addresses.tsx';
import { AddItem, type Capabilities, ChangeItem, type Item, nameOf } from './item-dialogs.tsx';
import type { Place } from './place.ts';

interface Props {
  place: Place;
  /** Of the surface. */
  type: string;
  items: readonly Item[];
  capabilities: Capabilities;
}

/** The capabilities that a surface offers. */
export function Items({ place, type, items, capabilities }: Props) {
  const [isAdding, setAdding] = useState(false);
  const [edited, setEdited] = useState<Item>();
  const change = useAction('PUT /v1/products/{id}/surfaces/{surfaceId}/items/{itemId}');
  const remove = useAction('DELETE /v1/products/{id}/surfaces/{surfaceId}/items/{itemId}');
  return (
    <section aria-labelledby="items">
      <div className="page-head">
        <h2 id="items">Items</h2>
        <Button onPress={() => setAdding(true)} isDisabled={capabilities.length === 0}>
          Add item
        </Button>
      </div>
      {items.length === 0 ? (
        <Empty title="No items yet">
          <p>
            {capabilities.length === 0
              ? 'First add a capability to the product, then offer it here.'
              : 'Add an item to offer a capability of the product.'}
          </p>
        </Empty>
      ) : (
        <Table
          label="Items"
          rows={items}
          keyOf={({ id }) => id}
          copyId="Copy item ID"
          columns={[
            { title: 'Name', cell: (item) => <bdi>{nameOf(item)}</bdi> },
            {
              title: 'Runs',
              cell: ({ flowId, agentId }) => <Target {...{ flowId, agentId }} />,
              isExtra: true,
            },
            ...(type === 'chat'
              ? []
              : [
                  {
                    title: type === 'mcp' ? 'Tool' : 'Address',
                    width: 'wide' as const,
                    cell: (item: Item) => <Address {...{ place, type, items, item }} />,
                    isExtra: true,
                  },
                ]),
            {
              title: 'On',
              cell: (item) => (
                <input
                  type="checkbox"
                  className="products-switch"
                  aria-label={`Offer ${nameOf(item)}`}
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
              title: 'Actions',
              width: 'wide',
              cell: (item) => (
                <span className="actions">
                  <Button look="quiet" aria-label={`Edit ${nameOf(item)}`} onPress={() => setEdited(item)}>
                    Edit
                  </Button>
                  <ConfirmButton
                    look="quiet"
                    label={`Remove ${nameOf(item)}`}
                    title={`Remove ${nameOf(item)}?`}
                    question="The surface does not offer it any more. The capability stays in the product."
                    confirm="Remove"
                    action={() => remove.mutateAsync({ params: { ...place, itemId: item.id } })}
                  >
                    Remove
                  </ConfirmButton>
                </span>
              ),
            },
          ]}
        />
      )}
      {change.error && <Failure error={change.error} />}
      <AddItem {...{ place, capabilities }} isOpen={isAdding} onClose={() => setAdding(false)} />
      {edited && <ChangeItem place={place} item={edited} onClose={() => setEdited(undefined)} />}
    </section>
  );
}

const Target = ({ flowId, agentId }: Pick<Item, 'flowId' | 'agentId'>) =>
  flowId ? (
    <Link to={`/flows/${flowId}`}>a flow</Link>
  ) : agentId ? (
    <Link to={`/agents/${agentId}`}>an agent</Link>
  ) : (
    'nothing: it was deleted'
  );
