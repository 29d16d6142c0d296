import { useState } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { MoreMenu } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Loading } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { ProductCapabilities } from './capabilities.tsx';
import { Surfaces } from './surfaces.tsx';
import '../../style/products.css';

const above = [{ to: '/products', label: sharedTexts.products }];

/** A product: what it can do, and how others reach it. */
export function OneProduct() {
  const id = useParam('productId');
  const product = useCall('products.get', { params: { id } });
  const [isEditing, setEditing] = useState(false);
  const remove = useAction('products.delete', {
    onSuccess() {
      notify(productTexts.productDeleted);
      location.assign('#/products');
    },
  });
  if (!product.data)
    return (
      <ScreenPage title={sharedTexts.product} above={above}>
        {product.error ? (
          <FailureNotice error={product.error} onRetry={() => product.refetch()} />
        ) : (
          <Loading />
        )}
      </ScreenPage>
    );
  const { name, description, icon, capabilities, surfaces } = product.data;
  return (
    <ScreenPage
      title={name}
      above={above}
      id={<ShownId id={id} label={productTexts.copyProductId} />}
      actions={
        <>
          <Button onPress={() => setEditing(true)}>{sharedTexts.edit}</Button>
          <MoreMenu
            title={productTexts.deleteThisProduct}
            question={productTexts.surfacesAreDeletedToo}
            confirm={sharedTexts.delete}
            action={() => remove.mutateAsync({ params: { id } })}
          >
            {sharedTexts.delete}
          </MoreMenu>
        </>
      }
    >
      {description && (
        <p className="products-text">
          <bdi>{description}</bdi>
        </p>
      )}
      <div className="stack">
        <ProductCapabilities productId={id} capabilities={capabilities} />
        <Surfaces productId={id} surfaces={surfaces} />
      </div>
      <EditDialog
        title={productTexts.editProduct}
        operation="products.update"
        params={{ id }}
        value={{ name, description: description ?? '', icon: icon ?? '' }}
        hidden={['canvas', 'spec']}
        isOpen={isEditing}
        onClose={() => setEditing(false)}
      />
    </ScreenPage>
  );
}
