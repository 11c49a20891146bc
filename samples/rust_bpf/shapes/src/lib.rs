//! Shapes and their areas.
#![no_std]

pub enum Shape {
    Square(u32),
    Rectangle { width: u32, height: u32 },
}

impl Shape {
    pub fn area(&self) -> u32 {
        match self {
            Shape::Square(side) => side * side,
            Shape::Rectangle { width, height } => width * height,
        }
    }
}
