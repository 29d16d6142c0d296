import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { DeleteMany } from '../../ui/selection/delete-many.tsx';
import { SelectionBar } from '../../ui/selection/selection-bar.tsx';
import { useSelection } from '../../ui/selection/use-selection.ts';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { count } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

/** The products: each is a set of flows and agents, with the ways to reach them. */
export function Products() {
  const pages = usePages('GET /v1/products');
  const selection = useSelection(pages.rows, ({ name }) => name);
  const [isCreating, setCreating] = useNewInAddress();
  const [created, setCreated] = useState<{ id: string; key: string }>();
  const open = (id: string) => location.assign(`#/products/${id}`);
  return (
    <Page
      title="Products"
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          Create product
        </Button>
      }
    >
      <SelectionBar selection={selection}>
        <DeleteMany
          selection={selection}
          noun="product"
          route="DELETE /v1/products/{id}"
          question="Their surfaces, keys and schedules are deleted too: whoever calls them is refused."
          changes={['products']}
        />
      </SelectionBar>
      <PagedTable
        label="Products"
        pages={pages}
        keyOf={({ id }) => id}
        copyId="Copy product ID"
        selection={selection}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name, icon }) => (
              <Link to={`/products/${id}`}>
                {icon && <bdi aria-hidden="true">{icon} </bdi>}
                <bdi>{name}</bdi>
              </Link>
            ),
          },
          {
            title: 'Description',
            cell: ({ description }) => <bdi>{description}</bdi>,
            isExtra: true,
          },
          {
            title: 'Capabilities',
            cell: ({ capabilityCount }) => count(capabilityCount),
            isNumber: true,
            isExtra: true,
          },
          { title: 'Surfaces', cell: ({ surfaceCount }) => count(surfaceCount), isNumber: true },
          { title: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} />, isExtra: true },
        ]}
        empty={
          <Empty title="No products">
            <p>
              A product offers flows and agents to others: by an API, a chat, MCP, A2A, webhooks or a
              schedule. Create one, add what it can do, and then a surface.
            </p>
          </Empty>
        }
      />
      <EditDialog
        title="Create product"
        route="POST /v1/products"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        value={{ name: '', description: '' }}
        submit="Create"
        onSaved={({ id, testApiKey }) => (testApiKey ? setCreated({ id, key: testApiKey.key }) : open(id))}
      />
      <ShownOnceDialog
        title="The test key of the product"
        value={created?.key}
        onClose={() => created && open(created.id)}
      />
    </Page>
  );
}
