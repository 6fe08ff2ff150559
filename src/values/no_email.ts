/**
 * The address of a customer whose address is not known, because every customer has one. RFC 2606 reserves .invalid: no mail
 * reaches it.
 */
export const NO_EMAIL_DOMAIN = '@customer.invalid';
export const NO_EMAIL = `no-email${NO_EMAIL_DOMAIN}`;
