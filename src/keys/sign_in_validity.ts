/**
 * How long the link and the code of a sign-in are valid. The database decides, with the default of `sign_ins.expires_at` and with
 * `request_sign_in` and `redeem_sign_in_code`; a test compares them with this. The texts of the console repeat it.
 */
export const SIGN_IN_MINUTES = 15;
