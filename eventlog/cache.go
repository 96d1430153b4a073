package eventlog

import "sync"

// cacheBlocks is how many decoded blocks a Store keeps for Read. A question
// like "why" reads a handful of neighbours again and again.
const cacheBlocks = 8

// blockCache holds the blocks that were read last, by first seq. A block never
// changes, and its checksums were right when it was decoded.
type blockCache struct {
	mu     sync.Mutex // guards all below
	blocks []*block   // the last used one first
}

// get returns the block that holds a seq, or nil.
func (c *blockCache) get(seq Seq) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, b := range c.blocks {
		if b.first <= seq && seq <= b.last() {
			copy(c.blocks[1:i+1], c.blocks[:i])
			c.blocks[0] = b
			return b
		}
	}
	return nil
}

// put takes a block in. One that unpacks to more than a usual block is left
// out, so that the cache stays small.
func (c *blockCache) put(b *block) {
	if int64(b.factsRaw)+int64(b.objectsRaw) > maxInlineRaw {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.blocks) < cacheBlocks {
		c.blocks = append(c.blocks, nil)
	}
	copy(c.blocks[1:], c.blocks)
	c.blocks[0] = b
}
