import { Icon } from '../../../ui/icon.tsx';

/** A thumb up or down; the word beside it says the same. */
export const Thumb = ({ rating }: { rating: number }) => <Icon name={rating < 0 ? 'thumbDown' : 'thumbUp'} />;
