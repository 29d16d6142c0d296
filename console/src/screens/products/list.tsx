import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { countText } from '../../texts/language.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { DeleteMany } from '../../ui/selection/delete-many.tsx';
import { SelectionBar } from '../../ui/selection/selection-bar.tsx';
import { useSelection } from '../../ui/selection/use-selection.ts';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { Time } from '../../ui/values/time.tsx';

/** The products: each is a set of flows and agents, with the ways to reach them. */
export function Products() {
  const pages = usePages('products.list');
  const selection = useSelection(pages.rows, ({ name }) => name);
  const [isCreating, setCreating] = useNewInAddress();
  const [created, setCreated] = useState<{ id: string; key: string }>();
  const open = (id: string) => location.assign(`#/products/${id}`);
  return (
    <ScreenPage
      title={sharedTexts.products}
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          {sharedTexts.createProduct}
        </Button>
      }
    >
      <SelectionBar selection={selection}>
        <DeleteMany
          selection={selection}
          counted={productTexts.productCount}
          operation="products.delete"
          question={productTexts.surfacesOfThemAreDeletedToo}
          changes={['products']}
        />
      </SelectionBar>
      <PagedTable
        label={sharedTexts.products}
        pages={pages}
        keyOf={({ id }) => id}
        copyId={productTexts.copyProductId}
        selection={selection}
        columns={[
          {
            title: sharedTexts.name,
            cell: ({ id, name, icon }) => (
              <Link to={`/products/${id}`}>
                {icon && <bdi aria-hidden="true">{icon} </bdi>}
                <bdi>{name}</bdi>
              </Link>
            ),
          },
          {
            title: sharedTexts.description,
            cell: ({ description }) => <bdi>{description}</bdi>,
            isExtra: true,
          },
          {
            title: sharedTexts.capabilities,
            cell: ({ capabilityCount }) => countText(capabilityCount),
            isNumber: true,
            isExtra: true,
          },
          {
            title: productTexts.surfaces,
            cell: ({ surfaceCount }) => countText(surfaceCount),
            isNumber: true,
          },
          { title: sharedTexts.updated, cell: ({ updatedAt }) => <Time at={updatedAt} />, isExtra: true },
        ]}
        empty={
          <Empty title={productTexts.noProducts}>
            <p>{productTexts.aboutProducts}</p>
          </Empty>
        }
      />
      <EditDialog
        title={sharedTexts.createProduct}
        operation="products.create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        value={{ name: '', description: '' }}
        submit={sharedTexts.create}
        onSaved={({ id, testApiKey }) => (testApiKey ? setCreated({ id, key: testApiKey.key }) : open(id))}
      />
      <ShownOnceDialog
        title={productTexts.testKeyOfProduct}
        value={created?.key}
        onClose={() => created && open(created.id)}
      />
    </ScreenPage>
  );
}
