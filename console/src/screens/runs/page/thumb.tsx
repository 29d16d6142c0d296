/** A thumb up or down; the word beside it says the same. */
export const Thumb = ({ rating }: { rating: number }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true" className={rating < 0 ? 'thumb down' : 'thumb'}>
    <path d="M7 10.5v9H4v-9zM7 10.5 11 3c1.6 0 2.5 1 2.5 2.6V9H19c1.2 0 2 1 1.8 2.2l-1.2 6.6c-.2 1-1 1.7-2 1.7H7" />
  </svg>
);
