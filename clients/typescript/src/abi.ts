/** What is called and read of the protocol's contracts, as JSON ABI. */

type Parameter<N, T> = { readonly name: N; readonly type: T };
const uint = <const N extends string>(name: N): Parameter<N, "uint256"> => ({ name, type: "uint256" });
const address = <const N extends string>(name: N): Parameter<N, "address"> => ({ name, type: "address" });

/** Of both routers. */
export const ROUTER_ABI = [
  {
    type: "function",
    name: "eip712Domain",
    stateMutability: "view",
    inputs: [],
    outputs: [
      { name: "fields", type: "bytes1" },
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      uint("chainId"),
      address("verifyingContract"),
      { name: "salt", type: "bytes32" },
      { name: "extensions", type: "uint256[]" },
    ],
  },
  { type: "function", name: "sponsorNonce", stateMutability: "view", inputs: [address("signer")], outputs: [uint("")] },
] as const;

/** Sealing: a call of the TimeLockRouter, an event of its vaults, and a token's approval. */
export const SEALING_ABI = [
  {
    type: "function",
    name: "createTimelockedGift",
    stateMutability: "payable",
    outputs: [],
    inputs: [
      {
        name: "gift",
        type: "tuple",
        components: [
          {
            name: "timelockETHSwap",
            type: "tuple",
            components: [address("storageToken"), uint("amountOutMin"), uint("deadline")],
          },
          { name: "timelockERC20", type: "tuple[]", components: [address("tokenAddress"), uint("amount")] },
          { name: "timelockERC721", type: "tuple[]", components: [address("tokenAddress"), uint("id")] },
          {
            name: "timelockERC1155",
            type: "tuple[]",
            components: [address("tokenAddress"), uint("id"), uint("amount")],
          },
          uint("duration"),
          address("recipient"),
          { name: "name", type: "string" },
          { name: "giftName", type: "string" },
        ],
      },
    ],
  },
  {
    type: "event",
    name: "TimelockCreated",
    inputs: [
      { ...uint("timelockId"), indexed: true },
      { ...address("owner"), indexed: true },
      { ...address("recipient"), indexed: true },
      { name: "tokenAddresses", type: "address[]" },
      { name: "amounts", type: "uint256[]" },
      uint("unlockTime"),
      uint("bufferTime"),
      { name: "lockType", type: "uint8" },
      { name: "name", type: "string" },
    ],
  },
  {
    type: "function",
    name: "approve",
    stateMutability: "nonpayable",
    inputs: [address("spender"), uint("amount")],
    outputs: [{ name: "", type: "bool" }],
  },
] as const;
