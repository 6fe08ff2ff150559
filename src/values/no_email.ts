/**
 * The address of customers whose address is not known, because every customer needs an address. RFC 2606 reserves .invalid, so no mail
 * is delivered to it.
 */
export const NO_EMAIL_DOMAIN = '@customer.invalid';
export const NO_EMAIL = `no-email${NO_EMAIL_DOMAIN}`;
